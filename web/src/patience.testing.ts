import { configure } from '@solidjs/testing-library';

// How long a test waits for what must come, and may itself take. The library's second is too short on a busy machine; on
// a quiet one nobody waits.
configure({ asyncUtilTimeout: 20_000 });
