DROP INDEX artifacts_critique_status;
DROP TABLE artifacts;
