import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * **What it does.** Limits the requests in progress at one service, in all and per tenant. A request acquires a permit right
 * before it is forwarded and releases the permit when the service's response has ended or broken off.
 *
 * **Participants.** A tenant's queue: its waiting requests, first come first served. The ring: the tenants that have waiting
 * requests and fewer permits than they may hold, in the order of their next turn.
 *
 * **Guarantees.** At most `permitsMax` requests are in progress, and at most `perTenantMax` of one tenant. A released permit
 * goes to the first tenant in the ring, which then moves to the end. So a tenant waits for at most one request of each other
 * tenant, however many requests the others have queued. At most `waitingMax` requests wait, at most a quarter of them of one
 * tenant, each for at most `waitMsMax`.
 *
 * **Not guaranteed.** That replicas agree: N replicas admit N times as many. That tenants which together hold all permits
 * leave one to another tenant at once: that tenant waits for the next release.
 */
export interface UpstreamPermits {
  /** A permit that is free for the tenant, as the function that releases the permit. Undefined when the tenant must wait. */
  tryAcquire(tenantId: string): Release | undefined
  /**
   * Resolves with a function that releases the permit; calling it again has no effect. Rejects with rate_limited where the
   * tenant's own requests are in the way, with service_unavailable where those of all tenants are, and with the reason of
   * `signal` when that aborts.
   */
  acquire(tenantId: string, signal?: AbortSignal): Promise<Release>
  /** For metrics. */
  counts(): { readonly inProgress: number; readonly waiting: number }
}

export type Release = () => void

export interface UpstreamPermitLimits {
  readonly permitsMax: number
  readonly perTenantMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

interface Waiter {
  readonly grant: () => void
}

interface Tenant {
  inProgress: number
  /** In the order of arrival: a Set, since any of them may leave before its turn. */
  readonly waiting: Set<Waiter>
}

const retryAfterSeconds = 1

export function createUpstreamPermits(limits: UpstreamPermitLimits): UpstreamPermits {
  return new PermitQueue(limits)
}

class PermitQueue implements UpstreamPermits {
  readonly #limits: UpstreamPermitLimits
  readonly #tenants = new Map<string, Tenant>()
  /** A Set keeps the order of insertion: a tenant that had its turn is inserted again at the end. */
  readonly #ring = new Set<string>()
  #inProgress = 0
  #waiting = 0

  constructor(limits: UpstreamPermitLimits) {
    this.#limits = limits
  }

  counts() {
    return { inProgress: this.#inProgress, waiting: this.#waiting }
  }

  tryAcquire(tenantId: string): Release | undefined {
    const { permitsMax, perTenantMax } = this.#limits
    const tenant = this.#tenants.get(tenantId) ?? { inProgress: 0, waiting: new Set() }
    // While a permit is free, every waiting tenant has reached its own maximum: the only queue to respect is the tenant's.
    if (this.#inProgress >= permitsMax || tenant.inProgress >= perTenantMax || tenant.waiting.size > 0) return undefined
    this.#tenants.set(tenantId, tenant)
    return this.#take(tenantId, tenant)
  }

  async acquire(tenantId: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    const permit = this.tryAcquire(tenantId)
    if (permit !== undefined) return permit
    const { waitingMax } = this.#limits
    const tenant = this.#tenants.get(tenantId) ?? { inProgress: 0, waiting: new Set() }
    if (this.#waiting >= waitingMax || tenant.waiting.size >= Math.ceil(waitingMax / 4)) throw this.#refusal(tenant)
    this.#tenants.set(tenantId, tenant)
    return this.#enqueue(tenantId, tenant, signal)
  }

  #take(tenantId: string, tenant: Tenant): Release {
    this.#inProgress += 1
    tenant.inProgress += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inProgress -= 1
      tenant.inProgress -= 1
      this.#update(tenantId, tenant)
      this.#grantNext()
    }
  }

  #enqueue(tenantId: string, tenant: Tenant, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
        tenant.waiting.delete(waiter)
        this.#waiting -= 1
      }
      const waiter: Waiter = {
        grant: () => {
          leave()
          resolve(this.#take(tenantId, tenant))
          this.#update(tenantId, tenant)
        },
      }
      const fail = (reason: unknown) => {
        leave()
        this.#update(tenantId, tenant)
        reject(reason)
      }
      const abandon = () => fail(signal?.reason)
      const timer = setTimeout(() => fail(this.#refusal(tenant)), this.#limits.waitMsMax)
      signal?.addEventListener('abort', abandon, { once: true })
      tenant.waiting.add(waiter)
      this.#waiting += 1
      this.#update(tenantId, tenant)
    })
  }

  /** Keeps the tenant in the ring exactly while it may be granted a permit, and in memory while it has anything here. */
  #update(tenantId: string, tenant: Tenant): void {
    const isEligible = tenant.waiting.size > 0 && tenant.inProgress < this.#limits.perTenantMax
    if (!isEligible) this.#ring.delete(tenantId)
    else if (!this.#ring.has(tenantId)) this.#ring.add(tenantId)
    if (tenant.inProgress === 0 && tenant.waiting.size === 0) this.#tenants.delete(tenantId)
  }

  #grantNext(): void {
    while (this.#inProgress < this.#limits.permitsMax) {
      const [tenantId] = this.#ring
      const tenant = tenantId === undefined ? undefined : this.#tenants.get(tenantId)
      const [waiter] = tenant?.waiting ?? []
      if (tenantId === undefined || waiter === undefined) return
      this.#ring.delete(tenantId)
      waiter.grant()
    }
  }

  #refusal(tenant: Tenant): Problem {
    const { perTenantMax } = this.#limits
    if (tenant.inProgress < perTenantMax) {
      const detail = 'Too many requests are in progress at this service'
      return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
    }
    const detail = `The tenant has ${perTenantMax} requests in progress at this service, which is the most it may have`
    return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
}
