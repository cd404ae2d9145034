/**
 * Shares one run between concurrent callers of the same key. Each caller gets the result of a run that began at or
 * after its call: a caller does not join the run in progress, because that run may have read an earlier state. At most
 * one run per key is in progress, and one more waits for it and serves all callers that arrive meanwhile.
 */
export type SingleFlight<T> = (key: string, run: () => Promise<T>) => Promise<T>

interface Flight<T> {
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>()
  const start = (key: string, run: () => Promise<T>): Promise<T> => {
    const flight: Flight<T> = { current: run(), next: undefined }
    flights.set(key, flight)
    const end = () => {
      if (flight.next === undefined) flights.delete(key)
    }
    flight.current.then(end, end)
    return flight.current
  }
  return (key, run) => {
    const flight = flights.get(key)
    if (flight === undefined) return start(key, run)
    if (flight.next === undefined) {
      const startNext = () => start(key, run)
      flight.next = flight.current.then(startNext, startNext)
    }
    return flight.next
  }
}
