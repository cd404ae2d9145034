import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * **What it does.** Limits the requests in progress at one service, in total and per tenant. A request acquires a
 * permit immediately before forwarding, and releases the permit when the response of the service has ended or broken
 * off.
 *
 * **Participants.** A queue per tenant: its waiting requests in order of arrival. The ring: the tenants that have
 * waiting requests and fewer permits than their maximum, in round-robin order.
 *
 * **Guarantees.**
 * - At most `permitsMax` requests are in progress, and at most `perTenantMax` of one tenant.
 * - The first tenant of the ring gets a released permit and moves to the end. So a tenant waits for at most one
 *   request of each other tenant, regardless of their queues.
 * - At most `waitingMax` requests wait, at most a quarter of them of one tenant, each at most `waitMsMax`.
 *
 * **Not guaranteed.** Replicas do not share permits: N replicas admit N times as many requests. When other tenants
 * hold all permits, a tenant waits for the next release.
 */
export interface UpstreamPermits {
  /**
   * Acquires a free permit and returns the function that releases the permit. Undefined when the tenant must wait.
   */
  tryAcquire(tenantId: string): Release | undefined
  /**
   * Resolves with a function that releases the permit; further calls of the function have no effect. Rejects with
   * rate_limited at the limit of the tenant, and with service_unavailable at the limit of the service. When `signal`
   * aborts, rejects with the reason of `signal`.
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
  /** In order of arrival. A Set, because any waiter may leave the queue. */
  readonly waiting: Set<Waiter>
}

const retryAfterSeconds = 1

export function createUpstreamPermits(limits: UpstreamPermitLimits): UpstreamPermits {
  return new PermitQueue(limits)
}

class PermitQueue implements UpstreamPermits {
  readonly #limits: UpstreamPermitLimits
  readonly #tenants = new Map<string, Tenant>()
  /** A Set has the order of insertion. A tenant that got a permit is inserted again at the end. */
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
    // While a permit is free, every waiting tenant is at its own maximum. So only the queue of this tenant matters.
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
    if (this.#waiting >= waitingMax || tenant.waiting.size >= Math.ceil(waitingMax / 4)) throw this.#rejection(tenant)
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
      const timer = setTimeout(() => fail(this.#rejection(tenant)), this.#limits.waitMsMax)
      signal?.addEventListener('abort', abandon, { once: true })
      tenant.waiting.add(waiter)
      this.#waiting += 1
      this.#update(tenantId, tenant)
    })
  }

  /** The ring contains the tenant exactly while the tenant may get a permit. A tenant without requests is deleted. */
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

  #rejection(tenant: Tenant): Problem {
    const { perTenantMax } = this.#limits
    if (tenant.inProgress < perTenantMax) {
      const detail = 'The service has reached its limit of requests in progress'
      return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
    }
    const detail = `The tenant has reached its limit of ${perTenantMax} requests in progress at this service`
    return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
}
