import { en } from './en';
import type { PageWords } from '../words';

export const de: PageWords = en;
