-- CreateTable
CREATE TABLE "failed_authentications" (
    "address" TEXT NOT NULL,
    "failures" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "failed_authentications_pkey" PRIMARY KEY ("address")
);

-- CreateIndex
CREATE INDEX "failed_authentications_ends_at_idx" ON "failed_authentications"("ends_at");
