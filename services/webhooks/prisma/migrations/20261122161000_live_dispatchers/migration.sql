-- CreateTable
CREATE TABLE "live_dispatchers" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "live_dispatchers_pkey" PRIMARY KEY ("id")
);
