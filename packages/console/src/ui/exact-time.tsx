import { absolute } from '../text/format.ts'
import { Time } from './time.tsx'

/** An instant as people say it, with date and time beside it: a touch screen has no hover. */
export function ExactTime({ at }: { at: string }) {
  return (
    <>
      <Time at={at} /> <small>({absolute(new Date(at))})</small>
    </>
  )
}
