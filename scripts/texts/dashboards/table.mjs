/**
 * The dashboards of Grafana. A panel: its title, its question, the unit, and each query with its legend.
 * `scripts/texts/dashboards.mjs` writes them to observe/grafana/dashboards.
 */

/**
 * @typedef {readonly [title: string, question: string, unit: string, queries: Readonly<Record<string, string>>]} Panel
 */

/** @type {readonly { uid: string, title: string, panels: readonly Panel[] }[]} */
export const dashboards = [
  {
    uid: 'processes',
    title: 'Processes: requests, errors, latency, saturation',
    panels: [
      [
        'Processes that respond',
        'Does every process run, with its database and the broker?',
        'none',
        { '{{service}}': 'sum by (service) (up{service!=""})' },
      ],
      [
        'Components that fail',
        'Which component of which process does not work?',
        'none',
        { '{{service}} {{component}}': 'sum by (service, component) (component_up == 0) * 0 + 1' },
      ],
      [
        'Requests',
        'How many requests does each process serve?',
        'reqps',
        { '{{service}}': 'service:http_requests:rate5m' },
      ],
      [
        'Errors',
        'Which share of the requests ends with a status of 500 or above?',
        'percentunit',
        { '{{service}}': 'service:http_errors:ratio5m' },
      ],
      [
        'Latency, 99th percentile',
        'How long do the slowest requests take?',
        's',
        { '{{service}}': 'service:http_request_duration_seconds:p99_5m' },
      ],
      [
        'Slowest operations, 99th percentile',
        'Which operations are slow at the gateway?',
        's',
        {
          '{{operation}}':
            'topk(5, histogram_quantile(0.99, sum by (operation, le) (rate(http_request_duration_seconds_bucket{service="gateway"}[5m]))))',
        },
      ],
      [
        'Processor',
        'Which process uses its core fully? A process uses one.',
        'percentunit',
        { '{{service}} {{instance}}': 'rate(process_cpu_seconds_total{service!=""}[5m])' },
      ],
      [
        'Event loop delay, 99th percentile',
        'Which process reacts late? Idle is 0.05 s.',
        's',
        { '{{service}} {{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
      ],
      [
        'Heap',
        'Which process is close to its heap limit?',
        'percentunit',
        { '{{service}} {{instance}}': 'nodejs_heap_size_used_bytes / nodejs_heap_size_limit_bytes' },
      ],
      [
        'Database transactions in progress',
        'Which process needs more connections than the 20 that it has?',
        'none',
        { '{{service}} {{instance}}': 'database_transactions_in_progress' },
      ],
      [
        'Requests that wait at the gateway',
        'Which service does not keep pace with the gateway?',
        'none',
        { '{{upstream}}': 'sum by (upstream) (gateway_upstream_waiting)' },
      ],
      [
        'Transactions repeated',
        'Do transactions lock in different orders?',
        'ops',
        { '{{service}}': 'sum by (service) (rate(database_transaction_retries_total[5m]))' },
      ],
    ],
  },
  {
    uid: 'delivery',
    title: 'Delivery: events and webhooks',
    panels: [
      [
        'Time from event to delivery',
        'How soon do receivers get events?',
        's',
        {
          median: 'histogram_quantile(0.5, sum by (le) (rate(webhook_delivery_latency_seconds_bucket[5m])))',
          '95th percentile':
            'histogram_quantile(0.95, sum by (le) (rate(webhook_delivery_latency_seconds_bucket[5m])))',
        },
      ],
      [
        'Attempts by outcome',
        'Do receivers accept what we send?',
        'ops',
        { '{{outcome}}': 'sum by (outcome) (rate(webhook_attempts_total[5m]))' },
      ],
      [
        'Backlog',
        'How many deliveries wait, and how many of them may be sent?',
        'none',
        {
          'in backlogs': 'max(webhook_deliveries_backlogged)',
          'may be sent': 'max(webhook_deliveries_dispatchable)',
          'events with deliveries to create': 'max(webhook_fan_outs_unfinished)',
        },
      ],
      [
        'Oldest delivery that may be sent',
        'How far behind are the dispatchers?',
        's',
        { age: 'max(webhook_oldest_dispatchable_age_seconds)' },
      ],
      [
        'Circuit breakers',
        'How many destinations fail, and do they recover?',
        'none',
        {
          open: 'max(webhook_breakers_open)',
          '{{change}} in 5 minutes': 'sum by (change) (increase(webhook_breaker_changes_total[5m]))',
        },
      ],
      [
        'Queues',
        'What waits in RabbitMQ: events, deliveries, dead letters, messages without a handler?',
        'none',
        { '{{queue}}': 'max by (queue) (webhook_queue_depth)' },
      ],
      [
        'Oldest event in the outboxes',
        'Does each service publish its events?',
        's',
        { '{{service}}': 'max by (service) (outbox_oldest_event_age_seconds)' },
      ],
      [
        'Events published',
        'How many events does each service publish?',
        'ops',
        { '{{service}}': 'sum by (service) (rate(outbox_published_total[5m]))' },
      ],
      [
        'Messages consumed by outcome',
        'Do consumers process what they receive?',
        'ops',
        { '{{service}} {{outcome}}': 'sum by (service, outcome) (rate(consumed_messages_seconds_count[5m]))' },
      ],
      ['Dispatchers', 'How many dispatchers share the limits?', 'none', { live: 'max(webhook_live_dispatchers)' }],
    ],
  },
  {
    uid: 'authorization',
    title: 'Authorization, limits and audit',
    panels: [
      [
        'Lease age',
        'When did each gateway last read the authorization version? Without requests, it does not read.',
        's',
        { '{{source}} {{instance}}': 'gateway_authorization_lease_age_seconds' },
      ],
      [
        'Reads of the authorization version',
        'Do api-key and rbac respond to the gateways?',
        'ops',
        {
          '{{source}} {{outcome}}': 'sum by (source, outcome) (rate(gateway_authorization_read_seconds_count[5m]))',
        },
      ],
      [
        'Time of a read, 99th percentile',
        'How long do requests wait for a lease at most?',
        's',
        {
          '{{source}}':
            'histogram_quantile(0.99, sum by (source, le) (rate(gateway_authorization_read_seconds_bucket[5m])))',
        },
      ],
      [
        'Denials',
        'Why are requests denied?',
        'ops',
        {
          '{{code}}':
            'sum by (code) (rate(gateway_problems_total{code=~"invalid_credentials|permission_denied|address_not_allowed|tenant_suspended|rate_limited"}[5m]))',
        },
      ],
      [
        'Requests rejected with 503',
        'Which dependency is missing?',
        'ops',
        {
          '{{code}}':
            'sum by (code) (rate(gateway_problems_total{code=~"authorization_unavailable|service_unavailable"}[5m]))',
          'audit_unavailable, {{reason}}': 'sum by (reason) (rate(audit_refused_requests_total[5m]))',
        },
      ],
      [
        'Gateways that share request rates',
        'Do the gateways count together?',
        'none',
        { sharing: 'sum(gateway_rates_shared)', 'known replicas': 'max(gateway_live_replicas)' },
      ],
      [
        'Audit spool',
        'How full are the spools of the gateways?',
        'percentunit',
        { '{{instance}}': 'audit_file_bytes / audit_file_limit_bytes' },
      ],
      [
        'Age of the last audit checkpoint',
        'Are checkpoints exported?',
        's',
        { age: 'time() - max(audit_checkpoints_exported_timestamp_seconds > 0)' },
      ],
    ],
  },
  {
    uid: 'payments',
    title: 'Payments: operations and providers',
    panels: [
      [
        'Open operations',
        'How many operations have no outcome yet?',
        'none',
        { '{{state}}': 'max by (state) (payment_operations_open)' },
      ],
      [
        'Oldest open operation, and overdue work',
        'How long have payers waited, and does payment-proxy resume what is open?',
        's',
        {
          'oldest operation': 'max(payment_oldest_open_operation_age_seconds)',
          'overdue operation': 'max(payment_operation_overdue_seconds)',
          'overdue event of a provider': 'max(provider_event_overdue_seconds)',
        },
      ],
      [
        'Unknown outcomes',
        'Which share of the requests to a provider has an unknown outcome?',
        'percentunit',
        {
          '{{connector}}':
            'sum by (connector) (rate(provider_requests_total{outcome="unknown"}[10m])) / sum by (connector) (rate(provider_requests_total[10m]))',
        },
      ],
      [
        'Provider requests by outcome',
        'What do providers respond?',
        'ops',
        { '{{connector}} {{outcome}}': 'sum by (connector, outcome) (rate(provider_requests_total[5m]))' },
      ],
      [
        'Provider latency, 99th percentile',
        'How long do providers take?',
        's',
        {
          '{{connector}} {{type}}':
            'histogram_quantile(0.99, sum by (connector, type, le) (rate(provider_request_duration_seconds_bucket[5m])))',
        },
      ],
      [
        'Events of providers',
        'Are the events that providers sent applied?',
        'none',
        { waiting: 'max(provider_events_waiting)' },
      ],
      [
        'Reconciliations of the last day',
        'Does the operators’ tool compare our books with the reports of the providers?',
        'none',
        {
          'requests of payctl payments reconcile':
            'sum(increase(http_request_duration_seconds_count{service="payment-proxy",operation="listReportedOperations"}[1d]))',
        },
      ],
      [
        'Messages to payers by outcome',
        'Are messages to payers sent?',
        'ops',
        { '{{provider}} {{outcome}}': 'sum by (provider, outcome) (rate(communication_attempts_total[5m]))' },
      ],
    ],
  },
]
