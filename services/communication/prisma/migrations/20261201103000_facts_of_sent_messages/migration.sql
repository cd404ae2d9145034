SET lock_timeout = '5s';
-- What a message said when it was rendered: its template has later versions, or none, and its text is deleted.
ALTER TABLE "communications"
    ADD COLUMN "template_name" TEXT,
    ADD COLUMN "template_version" INTEGER,
    ADD COLUMN "amount" TEXT;
