import { Counter } from 'prom-client'

/** Registered by `createMetrics`. Without labels, so that the series exists from the start: an alert needs it. */
export const unreadableItems = new Counter({
  name: 'list_items_unreadable_total',
  help: 'Items of lists that their contract rejected, and that the response names in place of showing them',
  registers: [],
})
