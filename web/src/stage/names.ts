// Codes of the log in the reader's language, for what is not there in a stage's first moment.

import { named } from './words';

export const taskName = (task: string): string => named(`task.${task}`, task);
export const reasonName = (reason: string): string => named(`reason.${reason}`, reason);
