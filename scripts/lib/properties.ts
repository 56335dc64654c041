/** Before each test file: property tests try the same cases every time, so that a change is judged by what it changes. */
import fc from 'fast-check'

// at full length (`npm run soak`) they draw new cases; what fails there names its seed
if (process.env.HIVEMIND_SOAK !== '1') fc.configureGlobal({ seed: 20_261_121 })
