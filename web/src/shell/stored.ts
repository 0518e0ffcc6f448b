/** What this browser remembers. Storage may be switched off, and then nothing is remembered. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(`tribunal.${key}`);
  } catch {
    return null;
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(`tribunal.${key}`, value);
  } catch {
    // Not remembered; the choice still holds for this visit.
  }
}
