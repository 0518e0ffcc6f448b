import type { RunRow } from '../api/types';

/** What the list is narrowed to; empty texts narrow nothing. */
export interface Filter {
  readonly text: string;
  readonly status: string;
  readonly loop: string;
}

export const filterOf = (query: Readonly<Record<string, string>>): Filter => ({
  text: query.text ?? '',
  status: query.status ?? '',
  loop: query.loop ?? '',
});

export const isFiltered = (filter: Filter): boolean => filter.text !== '' || filter.status !== '' || filter.loop !== '';

/** Whether a run that just began belongs in the list as it is filtered. The server decides for all others. */
export function matches(row: RunRow, filter: Filter): boolean {
  const text = filter.text.toLowerCase();
  return (
    (filter.status === '' || row.status === filter.status) &&
    (filter.loop === '' || row.loop === filter.loop) &&
    `${row.subject} ${row.reason ?? ''}`.toLowerCase().includes(text)
  );
}
