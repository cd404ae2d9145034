import type { World } from './world.ts'

/** A payer at the page of the bank of the sandbox. */
export function openBank(world: World, url: string) {
  const { pathname } = new URL(url)
  const caller = world.createCallers(world.app).asAnonymous()
  const post = async (form: string, headers: Readonly<Record<string, string>> = {}) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }
    const { status, headers: received } = await caller.send('post', pathname, form, type)
    return [status, received['location'] ?? null] as const
  }
  return {
    show: async () => {
      const { status, text, headers } = await caller.get(pathname)
      const { location = null, 'content-security-policy': policy = '' } = headers
      return { status, text, policy, location }
    },
    post,
    /** The status, and where the payer is led to. */
    decide: (decision: 'confirm' | 'decline') => post(`decision=${decision}`),
  }
}

export const return_url = 'https://shop.example.com/orders/1'

/** A new tenant with a transaction whose authorization waits for the payer. */
export async function waitingPayment(world: World, token = 'challenge', body: object = {}) {
  const tenant = world.tenant()
  const reply = await tenant.authorize(token, { return_url, ...body })
  const { id, pending_operation: pending } = reply.body
  return { tenant, id: id as string, reply, bank: openBank(world, pending.action.url) }
}
