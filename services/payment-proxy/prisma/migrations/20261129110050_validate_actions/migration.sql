SET lock_timeout = '5s';
-- Reads the table beside its writers.
ALTER TABLE "operations" VALIDATE CONSTRAINT "operations_in_flight_check";
ALTER TABLE "operations" VALIDATE CONSTRAINT "operations_action_check";
