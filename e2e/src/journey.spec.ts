import { mainJourney } from './main-journey.ts'
import { test } from './service.ts'

test('from the start page to a report of people-recognition @smoke', ({ page, service }) =>
  mainJourney(page, service.url))
