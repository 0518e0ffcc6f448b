CREATE TABLE findings (
    run      TEXT    NOT NULL REFERENCES runs (run) ON DELETE CASCADE,
    place    INTEGER NOT NULL, -- in the order in which they were raised
    finding  TEXT    NOT NULL,
    seat     TEXT    NOT NULL,
    severity TEXT    NOT NULL, -- must_fix, should or note
    state    TEXT    NOT NULL, -- open, fixed, reopened or contested
    text     TEXT    NOT NULL,
    raised   INTEGER NOT NULL, -- the round
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
