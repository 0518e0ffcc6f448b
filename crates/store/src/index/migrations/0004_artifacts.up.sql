CREATE TABLE artifacts (
    run      TEXT NOT NULL PRIMARY KEY REFERENCES runs (run) ON DELETE CASCADE,
    project  TEXT NOT NULL,
    artifact TEXT NOT NULL,
    critique_score            REAL,    -- of the round that was handed over
    critique_rounds_json      TEXT,    -- [{"round", "composite", "mustFix"}]
    critique_transcript_path  TEXT,    -- relative to the workspace
    critique_status           TEXT     -- nothing while the run goes on
        CHECK (critique_status IN
               ('shipped', 'below_threshold', 'timed_out', 'interrupted', 'degraded', 'failed', 'legacy')),
    critique_protocol_version INTEGER
) WITHOUT ROWID;

CREATE INDEX artifacts_critique_status ON artifacts (critique_status);
