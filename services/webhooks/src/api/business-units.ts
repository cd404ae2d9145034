import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import type { Handlers } from '@payments/chassis/request/router'
import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'
import { requireActive } from '@payments/contracts/services/business-unit/unit-copy'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import type { Deps } from '../deps.ts'

/** A handler of an endpoint below a business unit. */
type UnitHandler = (caller: Caller, request: RequestOf<Endpoint>) => Promise<unknown>

/**
 * Each endpoint with `{business_unit_id}` in its path first requires the business unit: an active one if its contract
 * declares business_unit_deleted. Before the verb, because a unit without a copy costs a call to business-unit. A
 * repeated request gets its stored response also after the deletion of the unit.
 */
export function requireBusinessUnits(
  { businessUnits, db }: Pick<Deps, 'businessUnits' | 'db'>,
  handlers: Handlers<typeof webhooks>,
): Handlers<typeof webhooks> {
  const required = Object.entries<Endpoint>(webhooks.endpoints)
    .filter(([, { path }]) => path.includes('{business_unit_id}'))
    .map(([name, { problems = [] }]): [string, UnitHandler] => {
      const needsActive = problems.includes('business_unit_deleted')
      const handler = handlers[name as keyof typeof handlers] as UnitHandler
      return [
        name,
        async (caller, request) => {
          const unit = await businessUnits.find(
            caller,
            (request.params as { business_unit_id: string }).business_unit_id,
          )
          const isRejected = needsActive && unit.businessUnit.status === 'deleted'
          return isRejected ? once(db, caller, async () => requireActive(unit)) : handler(caller, request)
        },
      ]
    })
  return { ...handlers, ...(Object.fromEntries(required) as Partial<Handlers<typeof webhooks>>) }
}
