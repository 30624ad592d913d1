// Makes a client with each generator from the running server's /api/openapi.json, compiles it, and sends it on one journey:
// create, change one field, read a filter and a transformation, list, an error, a dry run, a resend, a stream.
//
//     node clients/run.mjs [name …]
//
// `mvn -Pclients verify` calls it, after it has put the generator of the Java clients and their libraries below target/.
// Nothing that is generated is kept in the repository.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { KEY, startReceiver, startServer } from '../dashboard/e2e/server.mjs';

const home = fileURLToPath(new URL('.', import.meta.url));
const target = join(home, 'target');
const openapi = join(target, 'openapi.json');
const STEP_MILLISECONDS = 600_000;

const java = execFileSync(join(home, '../bin/jdk'), { encoding: 'utf8' }).trim();
const javac = join(dirname(java), 'javac');
const generatorJar = () => join(target, 'generator', readdirSync(join(target, 'generator'))[0]);

/** The arguments of openapi-generator: models and calls without the documentation and tests that it would write beside them. */
const generate = (generator, ...more) => [
  java,
  '-XX:TieredStopAtLevel=1',
  '-jar',
  generatorJar(),
  'generate',
  '-i',
  openapi,
  '-g',
  generator,
  '--global-property',
  'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false',
  ...more,
];

/** Answers may gain fields. Without this, some clients refuse those that they do not know. */
const OPEN_ANSWERS = 'disallowAdditionalPropertiesIfNotPresent=false';

const openapiGenerator = () => generatorJar().replace(/.*-cli-(.*)\.jar/, '$1');
const packageVersion = (directory, name) => JSON.parse(readFileSync(join(home, 'src', directory, 'package.json'), 'utf8')).devDependencies[name];
const requirement = (directory, name) => new RegExp(`^${name}==(.*)$`, 'm').exec(readFileSync(join(home, 'src', directory, 'requirements.txt'), 'utf8'))[1];
const OAPI_CODEGEN = '2.8.2';

const go = { what: 'Go', check: ['go', 'version'] };
const python = { what: 'Python 3.10 or newer with venv', check: ['python3', '-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'] };

function javaClient(library) {
  return {
    name: `java-${library}`,
    generator: () => `openapi-generator ${openapiGenerator()}, java with ${library}`,
    directories: ['java', `java-${library}`],
    build: () => [
      generate('java', '--library', library, '-o', 'client', '--additional-properties', OPEN_ANSWERS, ...['invoker-package', 'dev.sluice.client', 'api-package', 'dev.sluice.client.api', 'model-package', 'dev.sluice.client.model'].map((word, index) => (index % 2 ? word : `--${word}`))),
      ['sh', '-c', `find client/src/main Journey.java Library.java -name '*.java' > sources.txt`],
      [javac, '-encoding', 'UTF-8', '-nowarn', '-proc:none', '-cp', `${join(target, 'lib')}/*`, '-d', 'classes', '@sources.txt'],
    ],
    journey: [java, '-XX:TieredStopAtLevel=1', '-cp', `classes:${join(target, 'lib')}/*`, 'Journey'],
  };
}

const virtualEnvironment = [
  ['python3', '-m', 'venv', 'venv'],
  ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
];

const CLIENTS = [
  {
    name: 'hey-api',
    generator: () => `@hey-api/openapi-ts ${packageVersion('hey-api', '@hey-api/openapi-ts')}`,
    directories: ['hey-api'],
    build: () => [
      ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'],
      ['npx', '--no-install', 'openapi-ts', '-i', openapi, '-o', 'client'],
      ['npx', '--no-install', 'tsc'],
    ],
    journey: ['node', 'out/journey.js'],
  },
  javaClient('native'),
  javaClient('okhttp-gson'),
  {
    name: 'go-oapi-codegen',
    generator: () => `oapi-codegen ${OAPI_CODEGEN}`,
    needs: go,
    directories: ['go-oapi-codegen'],
    build: () => [
      ['mkdir', '-p', 'client'],
      ['go', 'run', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`, '-generate', 'types,client', '-package', 'client', '-o', 'client/client.go', openapi],
      ['go', 'build', '-o', 'journey', '.'],
    ],
    journey: ['./journey'],
  },
  {
    name: 'go-openapi-generator',
    generator: () => `openapi-generator ${openapiGenerator()}, go`,
    needs: go,
    directories: ['go-openapi-generator'],
    build: () => [
      generate('go', '-o', 'client', '--additional-properties', `packageName=client,withGoMod=false,enumClassPrefix=true,useOneOfDiscriminatorLookup=true,${OPEN_ANSWERS}`),
      ['go', 'build', '-o', 'journey', '.'],
    ],
    journey: ['./journey'],
  },
  {
    name: 'python-openapi-python-client',
    generator: () => `openapi-python-client ${requirement('python-openapi-python-client', 'openapi-python-client')}`,
    needs: python,
    directories: ['python-openapi-python-client'],
    build: () => [
      ...virtualEnvironment,
      ['venv/bin/openapi-python-client', 'generate', '--path', openapi, '--meta', 'none', '--output-path', 'client', '--config', 'config.yaml'],
      ['venv/bin/python', '-m', 'compileall', '-q', 'client'],
    ],
    journey: ['venv/bin/python', 'journey.py'],
  },
  {
    name: 'python-openapi-generator',
    generator: () => `openapi-generator ${openapiGenerator()}, python`,
    needs: python,
    directories: ['python-openapi-generator'],
    build: () => [
      generate('python', '-o', 'client', '--additional-properties', `packageName=sluice_client,${OPEN_ANSWERS}`),
      ...virtualEnvironment,
      ['venv/bin/python', '-m', 'compileall', '-q', 'client/sluice_client'],
    ],
    journey: ['venv/bin/python', 'journey.py'],
  },
];

/** Runs a command in the client's directory and returns what it printed. The receiver, which runs in this process, goes on answering. */
async function run(command, directory) {
  const [program, ...args] = command;
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: directory, timeout: STEP_MILLISECONDS, maxBuffer: 1 << 28 });
    return stdout;
  } catch (error) {
    throw new Error(`${command.join(' ')}\n${error.message.slice(0, 500)}\n${`${error.stdout}${error.stderr}`.slice(-6000)}`);
  }
}

/** Returns the row of the table that says how far the client came. */
async function tryOut(client, server, receiver) {
  const directory = join(target, client.name);
  const row = { name: client.name, generator: client.generator(), compiled: '–', journey: '–', problem: '' };
  if (client.needs && spawnSync(client.needs.check[0], client.needs.check.slice(1)).status !== 0) {
    return { ...row, journey: `left out: needs ${client.needs.what}` };
  }
  for (const old of ['client', 'classes', 'out']) rmSync(join(directory, old), { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const one of client.directories) cpSync(join(home, 'src', one), directory, { recursive: true });
  const start = Date.now();
  try {
    row.compiled = 'no';
    for (const step of client.build()) await run(step, directory);
    row.compiled = `yes, ${Math.round((Date.now() - start) / 1000)} s`;
    row.journey = 'no';
    const departure = Date.now();
    const said = (await run([...client.journey, server.url, KEY, receiver.url], directory)).trim();
    if (said !== 'done') throw new Error(`the journey printed: ${said}`);
    row.journey = `yes, ${Math.round((Date.now() - departure) / 1000)} s`;
  } catch (error) {
    row.problem = error.message;
  }
  return row;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !CLIENTS.some((client) => client.name === name));
if (unknown.length > 0) {
  console.error(`There is no client ${unknown.join(', ')}. There are: ${CLIENTS.map((client) => client.name).join(', ')}.`);
  process.exit(2);
}

mkdirSync(target, { recursive: true });
const receiver = await startReceiver();
const server = await startServer();
const rows = [];
try {
  writeFileSync(openapi, await (await fetch(`${server.url}/api/openapi.json`)).text());
  for (const client of CLIENTS) {
    if (wanted.length > 0 && !wanted.includes(client.name)) continue;
    console.log(`clients: ${client.name} …`);
    const row = await tryOut(client, server, receiver);
    rows.push(row);
    console.log(`clients: ${client.name}: compiled ${row.compiled}, journey ${row.journey}`);
    if (row.problem) console.error(row.problem);
  }
} finally {
  await server.stop();
  await receiver.stop();
}

const table = ['| client | generator | compiles | journey |', '| --- | --- | --- | --- |', ...rows.map((row) => `| ${row.name} | ${row.generator} | ${row.compiled} | ${row.journey} |`)].join('\n');
writeFileSync(join(target, 'result.md'), `${table}\n`);
console.log(table);
process.exit(rows.some((row) => row.problem) ? 1 : 0);
