import { en } from './en';
import type { PageWords } from '../words';

export const zhCN: PageWords = en;
