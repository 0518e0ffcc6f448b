import type { Frame } from '../../src/api/types';
import { seatName, type Line } from './stage';

/** A frame as its line must be found on the page: when, who, and words that no other line may change. */
export function expected(frames: readonly Frame[]): Line[] {
  return frames.map((frame, at) => ({
    number: at + 1,
    of: frames.length,
    time: frame.time.slice(11, 19),
    who: 'role' in frame ? seatName(frame.role) : '',
    text: wordsOf(frame),
  }));
}

/** The lines with only those words left that the frame itself gives, since the page adds its own. */
export function told(lines: readonly Line[], frames: readonly Frame[]): Line[] {
  return lines.map((line) => {
    const frame = frames[line.number - 1];
    const words = frame ? wordsOf(frame) : '';
    return { ...line, text: line.text.includes(words) ? words : line.text };
  });
}

function wordsOf(frame: Frame): string {
  switch (frame.type) {
    case 'panelist_dim':
      return frame.dimNote;
    case 'panelist_must_fix':
    case 'finding':
      return frame.text;
    case 'draft':
      return frame.draft;
    default:
      return '';
  }
}
