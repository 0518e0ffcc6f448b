import { words as en } from './en';
import type { PageWords } from '../words';

export const words: PageWords = en;
