/**
 * Runs the same work for many callers. Each gets the result of a run that began at or after its call; of one key, one
 * run is under way at most, and one more waits that everybody who came meanwhile shares. To join the run under way
 * would be to be told what was so before one asked.
 */
export type Flights<T> = (key: string, run: () => Promise<T>) => Promise<T>

interface Flight<T> {
  readonly current: Promise<T>
  next: Promise<T> | undefined
}

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>()
  const begin = (key: string, run: () => Promise<T>): Promise<T> => {
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
    if (flight === undefined) return begin(key, run)
    flight.next ??= flight.current.then(
      () => begin(key, run),
      () => begin(key, run),
    )
    return flight.next
  }
}
