/**
 * Takes power from credentials that are in use, and watches that nothing is accepted after the answer.
 *
 * Each of several lanes, again and again: makes a credential, has workers use it on every gateway until each of them is let
 * in, takes its power away through one of the gateways, and lets the workers go on for a while. A request counts as
 * *accepted after the answer* when it was sent after the answer had been received, and was let in. Sending and receiving are timed by
 * the same clock, in this process. 503 is no acceptance; while a fault is injected it may be the only answer for a time.
 */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

const requestTimeoutMs = 15_000
const attemptsMax = 200
const pauseMs = 25
/** How many requests each worker sends after the answer. */
const afterwards = 4
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** One request. `sentAt` and `answeredAt` in ms; status 0 where there was no answer. */
function send(url, { method = 'GET', path, bearer, tenantId, body, key = '' }) {
  const sentAt = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    Authorization: `Bearer ${bearer}`,
    'Trace-ID': randomUUID(),
    ...(tenantId === undefined ? {} : { 'Tenant-ID': tenantId }),
    ...(method === 'POST' ? { 'Idempotency-Key': key } : {}),
    ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  }
  return new Promise((resolve) => {
    const finish = (status, answer) => resolve({ status, body: answer, sentAt, answeredAt: performance.now() })
    const call = request(`${url}${path}`, { method, headers, agent, timeout: requestTimeoutMs }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => finish(response.statusCode, Buffer.concat(chunks).toString()))
      response.on('error', () => finish(0, ''))
    })
    call.on('timeout', () => call.destroy())
    call.on('error', () => finish(0, ''))
    call.end(text)
  })
}

/** Sends until it is done, since faults are about; the answer that counts is the last one. */
async function until(url, call, statuses) {
  const key = randomUUID()
  for (let attempt = 1; ; attempt += 1) {
    const reply = await send(url, { ...call, key })
    if (statuses.includes(reply.status)) return reply
    if ((reply.status !== 0 && reply.status < 500) || attempt === attemptsMax)
      throw new Error(`${call.method} ${call.path} was answered ${reply.status} ${reply.body}`)
    await delay(pauseMs)
  }
}

const keys = '/v1/api-key/keys'
const roles = '/v1/rbac/roles'
const used = `${keys}?limit=1`

/**
 * How power is taken: each way makes a credential that may use `used`, and says how to take its power. What is repeated after a lost
 * answer finds its work done: hence the 404 of a deletion.
 */
const ways = {
  delete: async (admin) => {
    const key = await keyWith(admin)
    return { credential: key, take: (url) => admin(url, 'DELETE', `${keys}/${key.id}`, undefined, [204, 404]) }
  },
  disable: async (admin) => {
    const key = await keyWith(admin)
    return { credential: key, take: (url) => admin(url, 'PATCH', `${keys}/${key.id}`, { enabled: false }) }
  },
  expire: async (admin) => {
    const key = await keyWith(admin)
    const body = { expires_at: '2020-01-01T00:00:00.000Z' }
    return { credential: key, take: (url) => admin(url, 'PATCH', `${keys}/${key.id}`, body) }
  },
  rotate: async (admin) => {
    const key = await keyWith(admin)
    const body = { grace_period_seconds: 0 }
    return { credential: key, take: (url) => admin(url, 'POST', `${keys}/${key.id}/rotate`, body) }
  },
  'replace roles': async (admin) => {
    const key = await keyWith(admin)
    return { credential: key, take: (url) => admin(url, 'PUT', `${keys}/${key.id}/roles`, { role_ids: [] }) }
  },
  'edit role': async (admin) => {
    const role = await roleNamed(admin, randomUUID())
    const key = await keyWith(admin, role.id)
    return { credential: key, take: (url) => admin(url, 'PUT', `${roles}/${role.id}`, { permissions: [] }) }
  },
  'edit role of token': async (admin) => {
    const role = await roleNamed(admin, admin.tenant.tokenRole)
    return {
      credential: { bearer: admin.tenant.token },
      take: (url) => admin(url, 'PUT', `${roles}/${role.id}`, { permissions: [] }),
      clear: (url) => admin(url, 'DELETE', `${roles}/${role.id}`, undefined, [204, 404]),
    }
  },
}

export const everyWay = Object.keys(ways)

async function keyWith(admin, roleId = admin.tenant.viewerRole) {
  const { body } = await admin(admin.tenant.home, 'POST', keys, { name: 'in use' }, [201])
  const { id, value } = JSON.parse(body)
  await admin(admin.tenant.home, 'PUT', `${keys}/${id}/roles`, { role_ids: [roleId] })
  return { id, bearer: value, tenantId: admin.tenant.id }
}

async function roleNamed(admin, name) {
  const body = { name, permissions: ['apikey:ReadKey'] }
  return JSON.parse((await admin(admin.tenant.home, 'POST', roles, body, [201])).body)
}

/** Sends as the administrator of a tenant, until it is done. */
function administrator(tenant) {
  const send = (url, method, path, body, statuses = [200]) =>
    until(url, { method, path, body, bearer: tenant.bearer, tenantId: tenant.id }, statuses)
  return Object.assign(send, { tenant })
}

export function createTally() {
  return { revocations: 0, requests: 0, unavailable: 0, acceptedAfter: [], answerMs: [], useMs: [] }
}

/**
 * Runs `count` revocations, by each of the `taken` ways in turn, in one lane for each tenant:
 * `{id, bearer, home, viewerRole, token, tokenRole}`, where home is the gateway its administrator prepares things through.
 * Each worker waits `restMs` between two uses.
 */
export async function revoke({ gateways, tenants, count, taken = everyWay, restMs = 0 }, tally = createTally()) {
  let next = 0
  const lane = async (tenant) => {
    const admin = administrator(tenant)
    while (next < count) {
      const turn = next++
      const way = taken[turn % taken.length]
      const { credential, take, clear } = await ways[way](admin)
      const by = gateways[(turn >> 1) % gateways.length]
      await revokeOne(gateways, { credential, take: () => take(by), way, restMs }, tally)
      await clear?.(tenant.home)
    }
  }
  await Promise.all(tenants.map(lane))
  return tally
}

/** `take` rejects where power could not be taken; workers end all the same. */
export async function revokeOne(gateways, { credential, take, way, restMs = 0 }, tally) {
  const state = { answeredAt: Number.POSITIVE_INFINITY, isOver: false }
  const lettingIn = gateways.map((url) => worker(url, { credential, way, restMs }, state, tally))
  try {
    await Promise.race([
      Promise.all(lettingIn.map(({ letIn }) => letIn)),
      Promise.all(lettingIn.map(({ ended }) => ended)),
    ])
    const { sentAt, answeredAt } = await take()
    state.answeredAt = answeredAt
    tally.revocations += 1
    tally.answerMs.push(answeredAt - sentAt)
  } finally {
    if (state.answeredAt === Number.POSITIVE_INFINITY) state.isOver = true
    await Promise.all(lettingIn.map(({ ended }) => ended))
  }
}

/** Uses a credential on one gateway again and again. */
function worker(url, { credential, way, restMs }, state, tally) {
  let greet
  const letIn = new Promise((resolve) => {
    greet = resolve
  })
  const work = async () => {
    for (let sentAfter = 0, attempt = 0; sentAfter < afterwards && !state.isOver; attempt += 1) {
      const { status, sentAt, answeredAt } = await send(url, { path: used, ...credential })
      tally.requests += 1
      if (status === 200) {
        greet()
        tally.useMs.push(answeredAt - sentAt)
      }
      if (status === 503 || status === 0) {
        tally.unavailable += 1
        await delay(pauseMs)
      }
      const isAfter = sentAt > state.answeredAt
      if (isAfter && status < 300 && status !== 0)
        tally.acceptedAfter.push({ way, url, status, afterMs: sentAt - state.answeredAt })
      if (isAfter && status !== 503 && status !== 0) sentAfter += 1
      if (restMs > 0) await delay(restMs)
      if (attempt > 5_000) throw new Error(`${way}: the answer did not come`)
    }
  }
  return { letIn, ended: work() }
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
