CREATE TABLE seats (
    run        TEXT    NOT NULL REFERENCES runs (run) ON DELETE CASCADE,
    seat       TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    model      TEXT,
    turns      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    usd_micros INTEGER NOT NULL,
    PRIMARY KEY (run, seat)
) WITHOUT ROWID;
