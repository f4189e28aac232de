/** What the SQL of upgrades takes from firmware: queries import no other feature themselves. */
export {
  isOlder,
  isOnVersion,
  packageFitsDevice,
  packageFitsPart,
  packageVersion,
  packageVersionText,
  reportedVersion,
} from '../firmware/index.ts'
