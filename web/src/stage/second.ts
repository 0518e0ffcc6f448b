// What a running stage shows in its second moment: one file, fetched as soon as the first one is at work.

import '../styles/panels.css';
import '../styles/second.css';

export { Replay } from '../replay/Replay';
export { Acts } from './Acts';
export { News } from './News';
export { Notices } from './Notices';
export { Side } from './Side';
export { Small } from './Small';
export { Strip } from './Strip';
export { Transcript } from './Transcript';
export { Turns } from './Turns';
