/**
 * Runs the same work for many callers. Each gets the result of a run that began at or after its call; of one key, one
 * run is under way at most, and one more waits that everybody who came meanwhile shares. To join the run under way
 * would be to be told what was so before one asked.
 *
 * `pause` says how long to wait after a run of so many milliseconds before the one that was asked for meanwhile, undefined for not at
 * all; who comes during the pause shares that one. Nobody waits where nobody asked while a run was under way.
 */
export type Flights<T> = (key: string, run: () => Promise<T>) => Promise<T>

interface Flight<T> {
  readonly beganAt: number
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export type Pause = (tookMs: number) => Promise<void> | undefined

export function createFlights<T>(pause: Pause = () => undefined): Flights<T> {
  const flights = new Map<string, Flight<T>>()
  const begin = (key: string, run: () => Promise<T>): Promise<T> => {
    const flight: Flight<T> = { beganAt: performance.now(), current: run(), next: undefined }
    flights.set(key, flight)
    const end = () => {
      if (flight.next === undefined) flights.delete(key)
    }
    flight.current.then(end, end)
    return flight.current
  }
  return (key, run) => {
    const flight = flights.get(key)
    if (flight === undefined) return begin(key, run)
    if (flight.next === undefined) {
      const beginNext = () => {
        const paused = pause(performance.now() - flight.beganAt)
        return paused === undefined ? begin(key, run) : paused.then(() => begin(key, run))
      }
      flight.next = flight.current.then(beginNext, beginNext)
    }
    return flight.next
  }
}
