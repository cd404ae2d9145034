import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * **What it does.** Limits the requests in progress at one service, in total and per subject. A request acquires a
 * permit immediately before forwarding, and releases the permit when the response of the service has ended or broken
 * off.
 *
 * **Participants.** A subject is a tenant, or the address of a request without a credential: each kind has permits of
 * its own. A queue per subject: its waiting requests in order of arrival. The ring: the subjects that have waiting
 * requests and fewer permits than their maximum, in round-robin order.
 *
 * **Guarantees.**
 * - At most `permitsMax` requests are in progress, and at most `perSubjectMax` of one subject.
 * - The first subject of the ring gets a released permit and moves to the end. So a subject waits for at most one
 *   request of each other subject, regardless of their queues.
 * - At most `waitingMax` requests wait, at most a quarter of them of one subject, each at most `waitMsMax`. When as many
 *   wait, a subject with fewer of them replaces the latest of the subject with the most.
 *
 * **Not guaranteed.** Replicas do not share permits: N replicas admit N times as many requests. When other subjects
 * hold all permits, a subject waits for the next release.
 */
export interface UpstreamPermits {
  /**
   * Acquires a free permit and returns the function that releases the permit. Undefined when the subject must wait.
   */
  tryAcquire(subjectId: string): Release | undefined
  /**
   * Resolves with a function that releases the permit; further calls of the function have no effect. Rejects with
   * rate_limited at the limit of the subject, and with service_unavailable at the limit of the service. When `signal`
   * aborts, rejects with the reason of `signal`.
   */
  acquire(subjectId: string, signal?: AbortSignal): Promise<Release>
  /** For metrics. */
  counts(): { readonly inProgress: number; readonly waiting: number }
}

export type Release = () => void

export interface UpstreamPermitLimits {
  readonly kind: 'tenant' | 'address'
  readonly permitsMax: number
  readonly perSubjectMax: number
  readonly waitingMax: number
  readonly waitMsMax: number
}

interface Waiter {
  readonly grant: () => void
  readonly reject: () => void
}

interface Subject {
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
  readonly #subjects = new Map<string, Subject>()
  /** A Set has the order of insertion. A subject that got a permit is inserted again at the end. */
  readonly #ring = new Set<string>()
  #inProgress = 0
  #waiting = 0

  constructor(limits: UpstreamPermitLimits) {
    this.#limits = limits
  }

  counts() {
    return { inProgress: this.#inProgress, waiting: this.#waiting }
  }

  tryAcquire(subjectId: string): Release | undefined {
    const { permitsMax, perSubjectMax } = this.#limits
    const subject = this.#subjects.get(subjectId) ?? { inProgress: 0, waiting: new Set() }
    // While a permit is free, every waiting subject is at its own maximum. So only the queue of this subject matters.
    if (this.#inProgress >= permitsMax || subject.inProgress >= perSubjectMax || subject.waiting.size > 0)
      return undefined
    this.#subjects.set(subjectId, subject)
    return this.#take(subjectId, subject)
  }

  async acquire(subjectId: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    const permit = this.tryAcquire(subjectId)
    if (permit !== undefined) return permit
    const { waitingMax } = this.#limits
    const subject = this.#subjects.get(subjectId) ?? { inProgress: 0, waiting: new Set() }
    const isFull = this.#waiting >= waitingMax && !this.#replaceLatest(subject)
    if (isFull || subject.waiting.size >= Math.ceil(waitingMax / 4)) throw this.#rejection(subject)
    this.#subjects.set(subjectId, subject)
    return this.#enqueue(subjectId, subject, signal)
  }

  /** Rejects the latest request of the longest queue. False if the queue of the subject would be as long then. */
  #replaceLatest(subject: Subject): boolean {
    let longest = subject
    for (const other of this.#subjects.values()) if (other.waiting.size > longest.waiting.size) longest = other
    if (longest.waiting.size <= subject.waiting.size + 1) return false
    const latest = Array.from(longest.waiting).at(-1)
    latest?.reject()
    return latest !== undefined
  }

  #take(subjectId: string, subject: Subject): Release {
    this.#inProgress += 1
    subject.inProgress += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inProgress -= 1
      subject.inProgress -= 1
      this.#update(subjectId, subject)
      this.#grantNext()
    }
  }

  #enqueue(subjectId: string, subject: Subject, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
        subject.waiting.delete(waiter)
        this.#waiting -= 1
      }
      const waiter: Waiter = {
        grant: () => {
          leave()
          resolve(this.#take(subjectId, subject))
          this.#update(subjectId, subject)
        },
        reject: () => fail(this.#rejection(subject)),
      }
      const fail = (reason: unknown) => {
        leave()
        this.#update(subjectId, subject)
        reject(reason)
      }
      const abandon = () => fail(signal?.reason)
      const timer = setTimeout(() => fail(this.#rejection(subject)), this.#limits.waitMsMax)
      signal?.addEventListener('abort', abandon, { once: true })
      subject.waiting.add(waiter)
      this.#waiting += 1
      this.#update(subjectId, subject)
    })
  }

  /** The ring contains the subject exactly while the subject may get a permit. A subject without requests is deleted. */
  #update(subjectId: string, subject: Subject): void {
    const isEligible = subject.waiting.size > 0 && subject.inProgress < this.#limits.perSubjectMax
    if (!isEligible) this.#ring.delete(subjectId)
    else if (!this.#ring.has(subjectId)) this.#ring.add(subjectId)
    if (subject.inProgress === 0 && subject.waiting.size === 0) this.#subjects.delete(subjectId)
  }

  #grantNext(): void {
    while (this.#inProgress < this.#limits.permitsMax) {
      const [subjectId] = this.#ring
      const subject = subjectId === undefined ? undefined : this.#subjects.get(subjectId)
      const [waiter] = subject?.waiting ?? []
      if (subjectId === undefined || waiter === undefined) return
      this.#ring.delete(subjectId)
      waiter.grant()
    }
  }

  #rejection(subject: Subject): Problem {
    const { perSubjectMax } = this.#limits
    if (subject.inProgress < perSubjectMax) {
      const detail = 'The service has reached its limit of requests in progress'
      return new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds })
    }
    const detail = `The ${this.#limits.kind} has reached its limit of ${perSubjectMax} requests in progress at this service`
    return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
}
