import { prepareInstallations } from './prepared.ts'

/** The global setup of tests whose servers are processes. */
export const setup = (): (() => void) => prepareInstallations([40, 60])
