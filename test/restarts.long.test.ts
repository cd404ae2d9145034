import { restarts } from './restarts/restart-each.ts'

restarts({ writesPerSecond: 60 })
