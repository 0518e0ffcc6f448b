// What the reducer takes for a frame.

/** Folds the run some times to warm up, then once with a clock at every frame; milliseconds. */
export function reducerTimes({ longRun, reduce, initial }) {
  const frames = longRun();
  const times = new Float64Array(frames.length);
  for (let pass = 0; pass < 3; pass += 1) {
    let state = initial();
    for (const [at, frame] of frames.entries()) {
      const begun = performance.now();
      state = reduce(state, frame);
      times[at] = performance.now() - begun;
    }
    if (state.frames !== frames.length) throw new Error('the reducer lost frames');
  }
  return [...times];
}
