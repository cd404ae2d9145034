import { purgeRows } from '@payments/chassis/database/purges'

/** The purges of counters, and of values after their grace period. */
export const purges = [
  purgeRows('reveal_attempts', 'id', "attempted_at < now() - interval '1 hour'"),
  purgeRows('failed_authentications', 'address', 'ends_at < now()'),
  purgeRows('previous_values', 'key_id', 'ends_at < now()'),
  purgeRows('request_rates', 'subject', 'full_at < now()'),
  purgeRows('gateway_replicas', 'id', 'expires_at < now()'),
]
