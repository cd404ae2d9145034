-- The deleted business units and their active codes, which a job cancels.
CREATE INDEX "business_unit_copies_deleted_idx" ON "business_unit_copies"("business_unit_id") WHERE "business_unit"->>'status' = 'deleted';
CREATE INDEX "codes_business_unit_id_idx" ON "codes"("business_unit_id") WHERE "status" = 'active';
