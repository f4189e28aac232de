/** The SQL of firmware that upgrades use: queries import no other feature themselves. */
export {
  type AutomaticPeople,
  automaticApprover,
  type Bytes,
  isOlder,
  isOnVersion,
  isRecommended,
  packageFitsDevice,
  packageFitsPart,
  packageVersion,
  packageVersionText,
  type ReachLimit,
  reportedVersion,
  type WithCreation,
  withCreation,
} from '../firmware/index.ts'
