DROP INDEX runs_subject;
DROP INDEX runs_opened;
DROP TABLE runs;
