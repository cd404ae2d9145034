import { AsyncLocalStorage } from 'node:async_hooks'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { MemberQueue } from './member-queue.ts'

/**
 * **What it does.** Divides permits among subjects, such as tenants.
 *
 * **Participants.** A queue per subject, whose members take turns (member-queue.ts). The ring: the subjects that wait
 * and hold fewer permits than their maximum.
 *
 * **Guarantees.**
 * - At most `permitsMax` permits are held, `perSubjectMax` by one subject, `perMemberMax` by one of its members.
 * - The first subject of the ring gets a released permit and moves to the end.
 * - At most `waitingMax` callers wait, a quarter of them for one subject, each at most `waitMsMax`. When as many wait,
 *   the latest of the subject with the most yields to a subject with fewer; within a subject, members do the same.
 *
 * **Not guaranteed.** Across processes.
 */
export interface FairPermits {
  /** Acquires a free permit and returns the function that releases the permit. Undefined when the subject must wait. */
  tryAcquire(subject: string, member?: string): Release | undefined
  /**
   * Resolves with a function that releases the permit; further calls of the function have no effect. Rejects with the
   * error of `createRejection` beyond a limit. When `signal` aborts, rejects with the reason of `signal`.
   */
  acquire(subject: string, options?: AcquireOptions): Promise<Release>
  /** Runs `work` with a permit. Rejects as `acquire`, without having called `work`. */
  run<T>(subject: string, work: () => Promise<T>, member?: string): Promise<T>
  /** For metrics. */
  counts(): { readonly inProgress: number; readonly waiting: number }
  /** The permits of each subject that holds some. */
  held(): ReadonlyMap<string, number>
}

export type Release = () => void

interface AcquireOptions {
  /**
   * The part of the subject that waits, such as a credential. Default: the sender of the request that the work belongs
   * to; otherwise the subject as a whole.
   */
  readonly member?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whose limit rejects a caller: the member or the subject holds its maximum, or the others hold all permits. */
type PermitLimit = 'member' | 'subject' | 'total'

export interface PermitLimits {
  readonly permitsMax: number
  /** A function is called at each decision, with the number of free permits. */
  readonly perSubjectMax: number | ((subject: string, free: number) => number)
  /** Default: as many as the subject. */
  readonly perMemberMax?: number
}

export interface FairPermitOptions extends PermitLimits {
  readonly waitingMax: number
  readonly waitMsMax: number
  readonly createRejection: (limit: PermitLimit) => Error
}

/** A `createRejection`: rate_limited at the limit of the subject, service_unavailable at the limit of all. */
export const limitProblem =
  (detail: string) =>
  (limit: PermitLimit): Problem =>
    new Problem(limit === 'total' ? commonProblems.service_unavailable : commonProblems.rate_limited, {
      detail,
      retryAfterSeconds: 1,
    })

/**
 * A `perSubjectMax`: a subject acquires a permit while it holds fewer than are free. So one subject holds at most half
 * of them, and n subjects that want more hold `permitsMax / (n + 1)` each, while as many are free for the next subject.
 */
export const fewerThanFree = (_subject: string, free: number): number => free

interface Waiter {
  readonly grant: () => void
  readonly reject: () => void
}

interface Subject {
  readonly name: string
  inProgress: number
  /** The permits of each member that holds some. */
  readonly held: Map<string, number>
  readonly waiting: MemberQueue<Waiter>
}

/** The member of callers that name none: only the maximum of the subject bounds it. */
const asWhole = ''

/** The credential whose request the work belongs to. The credentials of a tenant take turns for what they share. */
export const members = new AsyncLocalStorage<string>()

const currentMember = () => members.getStore() ?? asWhole

export function createFairPermits(options: FairPermitOptions): FairPermits {
  return new PermitQueue(options)
}

/** Permits for which nothing waits: the caller decides about work without a permit. */
export function createPermits(limits: PermitLimits): Pick<FairPermits, 'tryAcquire' | 'counts' | 'held'> {
  return createFairPermits({
    ...limits,
    waitingMax: 0,
    waitMsMax: 0,
    createRejection: limitProblem('No permit is free'),
  })
}

class PermitQueue implements FairPermits {
  readonly #options: FairPermitOptions
  readonly #subjectMax: (subject: string) => number
  readonly #subjects: SubjectRing
  readonly #perMemberMax: number
  #inProgress = 0
  #waiting = 0

  constructor(options: FairPermitOptions) {
    const { permitsMax, perSubjectMax, perMemberMax = Number.POSITIVE_INFINITY } = options
    this.#options = options
    this.#perMemberMax = perMemberMax
    this.#subjectMax =
      typeof perSubjectMax === 'function'
        ? (subject) => perSubjectMax(subject, permitsMax - this.#inProgress)
        : () => perSubjectMax
    this.#subjects = new SubjectRing(this.#subjectMax, perMemberMax)
  }

  counts() {
    return { inProgress: this.#inProgress, waiting: this.#waiting }
  }

  held(): ReadonlyMap<string, number> {
    return this.#subjects.held()
  }

  tryAcquire(name: string, member = currentMember()): Release | undefined {
    const { permitsMax } = this.#options
    const subject = this.#subjects.named(name)
    const mayHold = belowMemberMax(subject, this.#perMemberMax)
    // While a permit is free, every waiting subject is at its own maximum. So only the queue of this subject matters.
    const isFull = this.#inProgress >= permitsMax || subject.inProgress >= this.#subjectMax(name)
    return isFull || !mayHold(member) || subject.waiting.has(mayHold) ? undefined : this.#take(subject, member)
  }

  async acquire(name: string, { member = currentMember(), signal }: AcquireOptions = {}): Promise<Release> {
    signal?.throwIfAborted()
    const permit = this.tryAcquire(name, member)
    if (permit !== undefined) return permit
    const { waitingMax } = this.#options
    const subject = this.#subjects.named(name)
    const isOver = subject.waiting.size >= Math.ceil(waitingMax / 4)
    const isFull = isOver || (this.#waiting >= waitingMax && !this.#subjects.replaceLatest(subject))
    if (isFull && !rejectLatestWaiter(subject, member)) throw this.#rejection(subject, member)
    return this.#enqueue(subject, member, signal)
  }

  async run<T>(name: string, work: () => Promise<T>, member = currentMember()): Promise<T> {
    const release = await this.acquire(name, { member })
    try {
      return await work()
    } finally {
      release()
    }
  }

  #take(subject: Subject, member: string): Release {
    this.#inProgress += 1
    subject.inProgress += 1
    count(subject.held, member, 1)
    this.#subjects.update(subject)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inProgress -= 1
      subject.inProgress -= 1
      count(subject.held, member, -1)
      this.#subjects.update(subject)
      this.#grantNext()
    }
  }

  #enqueue(subject: Subject, member: string, signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
        subject.waiting.delete(member, waiter)
        this.#waiting -= 1
      }
      const waiter: Waiter = {
        grant: () => {
          leave()
          resolve(this.#take(subject, member))
        },
        reject: () => fail(this.#rejection(subject, member)),
      }
      const fail = (reason: unknown) => {
        leave()
        this.#subjects.update(subject)
        reject(reason)
      }
      const abandon = () => fail(signal?.reason)
      const timer = setTimeout(() => fail(this.#rejection(subject, member)), this.#options.waitMsMax)
      signal?.addEventListener('abort', abandon, { once: true })
      subject.waiting.add(member, waiter)
      this.#waiting += 1
      this.#subjects.update(subject)
    })
  }

  #grantNext(): void {
    while (this.#inProgress < this.#options.permitsMax) {
      const subject = this.#subjects.next()
      if (subject === undefined) return
      const waiter = subject.waiting.take(belowMemberMax(subject, this.#perMemberMax))
      if (waiter === undefined) return
      waiter.grant()
    }
  }

  #rejection(subject: Subject, member: string): Error {
    const holder = subject.inProgress < this.#subjectMax(subject.name) ? 'total' : 'subject'
    return this.#options.createRejection(belowMemberMax(subject, this.#perMemberMax)(member) ? holder : 'member')
  }
}

const belowMemberMax =
  ({ held }: Subject, perMemberMax: number) =>
  (member: string): boolean =>
    member === asWhole || (held.get(member) ?? 0) < perMemberMax

/** Adds to the count of a member. A member without any is deleted. */
function count(held: Map<string, number>, member: string, change: number): void {
  const after = (held.get(member) ?? 0) + change
  if (after === 0) held.delete(member)
  else held.set(member, after)
}

/** Rejects the latest caller of the member with the most callers. False if the given member would have as many then. */
function rejectLatestWaiter({ waiting }: Subject, member: string): boolean {
  const latest = waiting.latest()
  if (latest === undefined || latest.memberCount <= waiting.countWaiters(member) + 1) return false
  latest.waiter.reject()
  return true
}

/** The subjects that hold a permit or wait for one. The ring has those that may get the next one, in turns. */
class SubjectRing {
  readonly #subjectMax: (subject: string) => number
  readonly #perMemberMax: number
  readonly #subjects = new Map<string, Subject>()
  /** A Set has the order of insertion. A subject that got a permit is inserted again at the end. */
  readonly #ring = new Set<Subject>()

  constructor(subjectMax: (subject: string) => number, perMemberMax: number) {
    this.#subjectMax = subjectMax
    this.#perMemberMax = perMemberMax
  }

  named(name: string): Subject {
    return this.#subjects.get(name) ?? { name, inProgress: 0, held: new Map(), waiting: new MemberQueue() }
  }

  held(): ReadonlyMap<string, number> {
    const counts = [...this.#subjects.values()].map(({ name, inProgress }) => [name, inProgress] as const)
    return new Map(counts.filter(([, count]) => count > 0))
  }

  /** Rejects the latest caller of the longest queue. False if the queue of the subject would be as long then. */
  replaceLatest(subject: Subject): boolean {
    let longest = subject
    for (const other of this.#subjects.values()) if (other.waiting.size > longest.waiting.size) longest = other
    if (longest.waiting.size <= subject.waiting.size + 1) return false
    const latest = longest.waiting.latest()
    latest?.waiter.reject()
    return latest !== undefined
  }

  /** Call it after each change of the subject. An idle subject is deleted. */
  update(subject: Subject): void {
    const { name, inProgress, waiting } = subject
    if (inProgress === 0 && waiting.size === 0) this.#subjects.delete(name)
    else this.#subjects.set(name, subject)
    const isNext = inProgress < this.#subjectMax(name) && waiting.has(belowMemberMax(subject, this.#perMemberMax))
    if (isNext) this.#ring.add(subject)
    else this.#ring.delete(subject)
  }

  /** Removes the first subject from the ring. Its next `update` inserts it at the end. */
  next(): Subject | undefined {
    const [subject] = this.#ring
    if (subject !== undefined) this.#ring.delete(subject)
    return subject
  }
}
