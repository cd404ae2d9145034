-- Copies of events with an earlier address expire.
DROP TABLE "corrected_recipients";
