CREATE TABLE runs (
    run        TEXT    NOT NULL PRIMARY KEY,
    loop       TEXT    NOT NULL,
    subject    TEXT    NOT NULL,
    workspace  TEXT    NOT NULL,
    status     TEXT    NOT NULL, -- running, or the outcome
    reason     TEXT,             -- why it ended, or what was decided last
    rounds     INTEGER NOT NULL,
    turns      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    usd_micros INTEGER NOT NULL,
    opened     INTEGER NOT NULL, -- milliseconds since 1970
    closed     INTEGER,
    seq        INTEGER NOT NULL  -- of the last event that is in here
) WITHOUT ROWID;

CREATE INDEX runs_opened ON runs (opened DESC, run DESC);
CREATE INDEX runs_subject ON runs (workspace, subject, opened DESC);
