/* It ends the process that it runs in. */

process.exit(3)
