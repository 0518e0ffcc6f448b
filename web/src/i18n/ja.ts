import { words as en } from './en';
import type { Words } from './words';

export const words: Words = en;
