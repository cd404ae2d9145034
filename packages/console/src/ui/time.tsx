import { useEffect, useState } from 'react'
import { absolute, relative } from '../text/format.ts'

const refreshMs = 30_000

/** An instant of the API as people say it, with the exact time on hover. `fallback` stands where there is none. */
export function Time({ at, fallback = 'never' }: { at: string | null; fallback?: string }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), refreshMs)
    return () => clearInterval(timer)
  }, [])
  if (at === null) return <span className="muted">{fallback}</span>
  const instant = new Date(at)
  return (
    <time dateTime={at} title={absolute(instant)}>
      {relative(instant, now)}
    </time>
  )
}

/** An instant as people say it, with date and time beside it: a touch screen has no hover. */
export function ExactTime({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> <small>({absolute(new Date(at))})</small>
    </>
  )
}
