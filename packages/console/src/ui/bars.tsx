import { useId } from 'react'
import { formatCount } from '../text/format.ts'
import styles from './bars.module.css'

export interface Series {
  readonly name: string
  readonly tone: 'good' | 'warning' | 'bad' | 'accent' | 'muted'
}

interface Bar {
  /** The interval in words. */
  readonly label: string
  /** A value of each series. */
  readonly values: readonly number[]
}

interface BarsProps {
  readonly title: string
  readonly series: readonly Series[]
  readonly bars: readonly Bar[]
  /** How late the counts are. */
  readonly hint: string
}

const height = 96
const step = 10
const width = 8

/** Stacked bars, with the same numbers as a table that opens below them. */
export function Bars({ title, series, bars, hint }: BarsProps) {
  const id = useId()
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const most = Math.max(...sums)
  if (most === 0) return <p className="muted">None in this time. {hint}</p>
  const scale = (value: number) => (value / most) * height
  return (
    <figure className={styles.bars}>
      <small className={styles.most} aria-hidden="true">
        {formatCount(most)}
      </small>
      <svg viewBox={`0 0 ${bars.length * step} ${height}`} preserveAspectRatio="none" role="img" aria-labelledby={id}>
        <title id={id}>{`${title}: ${bars.length} bars, at most ${formatCount(most)}`}</title>
        {bars.map(({ label, values }, index) => (
          <g key={label}>
            <rect x={index * step + 1} y={height - 1} width={width} height={1} data-tone="muted" />
            {values.map((value, at) => {
              const below = scale(values.slice(0, at).reduce((sum, each) => sum + each, 0))
              const { name, tone } = series[at] as Series
              const size = value === 0 ? 0 : Math.max(2, scale(value))
              const top = Math.max(0, height - below - size)
              return <rect key={name} x={index * step + 1} y={top} width={width} height={size} data-tone={tone} />
            })}
          </g>
        ))}
      </svg>
      <div className={styles.axis} aria-hidden="true">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </div>
      <BarsLegend series={series} bars={bars} />
      <small>{hint}</small>
      <details>
        <summary>{title} as a table</summary>
        <BarsTable title={title} series={series} bars={bars} />
      </details>
    </figure>
  )
}

function BarsLegend({ series, bars }: Pick<BarsProps, 'series' | 'bars'>) {
  const total = (at: number) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
  return (
    <ul className={styles.legend}>
      {series.map(({ name, tone }, at) => (
        <li key={name} data-tone={tone}>
          {name} <strong>{formatCount(total(at))}</strong>
        </li>
      ))}
    </ul>
  )
}

function BarsTable({ title, series, bars }: Omit<BarsProps, 'hint'>) {
  return (
    <div className={styles.scroll}>
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, values }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, at) => (
                <td key={series[at]?.name}>{formatCount(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
