-- Copies of events with this version or a higher one stay. Null: copies of all events are erased.
ALTER TABLE "copy_erasures" ADD COLUMN "versions_below" INTEGER;
