import { Counter, type Registry } from 'prom-client'

/** Told of what does not open. */
export interface VaultMeters {
  unopened(): void
}

/** In the registry of the process, once. */
export function vaultMeters(registry: Registry): VaultMeters {
  const unopened = new Counter({
    name: 'vault_open_failures_total',
    help: 'Secrets and data keys that did not open: each is a bug or an attack',
    registers: [registry],
  })
  return { unopened: () => unopened.inc() }
}
