import type { SearchField } from '../../layout/search-form.tsx'

/** The filters of the audit records. */
export const auditFields: readonly SearchField[] = [
  { name: 'trace_id', label: 'Trace-ID' },
  { name: 'path_prefix', label: 'Path begins with' },
  { name: 'operation', label: 'Operation' },
  { name: 'code', label: 'Problem code' },
  { name: 'actor_id', label: 'Id of the actor' },
  {
    name: 'outcome',
    label: 'Outcome',
    options: [
      { value: '', label: 'Every outcome' },
      { value: 'success', label: 'Success' },
      { value: 'denied,rejected,error', label: 'Not successful' },
      { value: 'denied', label: 'Denied' },
      { value: 'rejected', label: 'Rejected' },
      { value: 'error', label: 'Error' },
    ],
  },
  {
    name: 'client',
    label: 'Client',
    options: [
      { value: '', label: 'Every client' },
      { value: 'none', label: 'Without the console and the command line' },
      { value: 'console', label: 'The console' },
      { value: 'cli', label: 'The command line' },
    ],
  },
  {
    name: 'actor_type',
    label: 'Actor',
    options: [
      { value: '', label: 'Every actor' },
      { value: 'api_key', label: 'API keys' },
      { value: 'user', label: 'Users' },
      { value: 'operator', label: 'Operators' },
      { value: 'anonymous', label: 'Anonymous' },
    ],
  },
  {
    name: 'order',
    label: 'Order',
    options: [
      { value: '', label: 'Newest first' },
      { value: 'oldest', label: 'Oldest first' },
    ],
  },
  { name: 'occurred_after', label: 'From', isInstant: true },
  { name: 'occurred_before', label: 'To', isInstant: true },
]
