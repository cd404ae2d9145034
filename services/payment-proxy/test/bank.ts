import type { World } from './world.ts'

/** A payer at the page of the bank of the sandbox. */
export function bankOf(world: World, url: string) {
  const { pathname } = new URL(url)
  const caller = world.callersOf(world.app).asAnonymous()
  const post = async (form: string, headers: Readonly<Record<string, string>> = {}) => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }
    const { status, headers: received } = await caller.send('post', pathname, form, type)
    return [status, received['location'] ?? null] as const
  }
  return {
    show: async () => {
      const { status, text, headers } = await caller.get(pathname)
      return { status, text, policy: headers['content-security-policy'] ?? '' }
    },
    post,
    /** The status, and where the payer is led to. */
    decide: (decision: 'confirm' | 'decline') => post(`decision=${decision}`),
  }
}
