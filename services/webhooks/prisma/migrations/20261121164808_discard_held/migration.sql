-- AlterEnum
ALTER TYPE "TaskKind" ADD VALUE 'discard_held';
