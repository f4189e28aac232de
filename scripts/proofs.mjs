// `npm test -- proofs`: what each noun has to prove, and does not. Reads the contract, the routes, the web's pages and
// apps/server/test/proofs/, in under a second.
import { factsOf, faultsOf } from '../apps/server/test/proofs.check.ts'

const facts = factsOf()
const faults = faultsOf(facts)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
const { endpoints, pages, forms } = facts
console.log(
  `${endpoints.length} calls, ${pages.length} pages, ${forms.length} forms, ${faults.length} faults`,
)
