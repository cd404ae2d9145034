/**
 * A CTE with one row. A statement that joins it commits without waiting for the disk (`synchronous_commit`), alone: the
 * setting ends with its transaction. For claims and marks only; README.md has the proof.
 */
export const withoutFlush = `without_flush AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`
