import type { World } from './world.ts'

interface Listed {
  readonly id: string
  readonly operation_id: string
  readonly state: string
  readonly reason: string | null
  readonly amount: number
}

/** All items of a list for operators, page by page, called as payctl calls it. */
export async function readPages(world: World, path: string, query: Record<string, string>): Promise<Listed[]> {
  const found: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await readPage(world, path, { ...query, ...(cursor === '' ? {} : { cursor }) })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    found.push(...(body.data ?? body.operations))
    cursor = body.next_cursor ?? body.next ?? null
  }
  return found
}

export const readPage = (world: World, path: string, query: Record<string, string>) =>
  world
    .createCallers(world.app)
    .asOperator()
    .get(`${path}?${new URLSearchParams(query)}`)

/** An hour before and after now, for a business unit. */
export const windowAround = (unit: string) => ({
  business_unit_id: unit,
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
})
