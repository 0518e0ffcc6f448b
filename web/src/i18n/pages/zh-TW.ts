import { en } from './en';
import type { PageWords } from '../words';

export const zhTW: PageWords = en;
