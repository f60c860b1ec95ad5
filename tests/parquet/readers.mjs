// Compares Parquet files with CSV: readers.mjs READER < LIST
//
// LIST is lines of JSON {name, parquet, csv, order}: a file or a pattern of files, and the same table as CSV; order
// is the column by which rows are sorted, if their order is not that of the CSV. Prints a line of JSON
// {name, faults} for each. Each reader returns rows of values: null, strings, bytes, booleans, numbers.
import fs from 'node:fs';

const FAULTS_MAX = 5;

async function duckdb() {
	const { DuckDBInstance } = await import('@duckdb/node-api');
	const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
	return async (path) => {
		const found = await connection.runAndReadAll(`select * from read_parquet('${path}')`);
		return [found.columnNames(), found.getRows().map((row) => row.map((value) => value?.bytes ?? value))];
	};
}

async function hyparquet() {
	const { asyncBufferFromFile, parquetReadObjects, parquetMetadataAsync } = await import('hyparquet');
	const { compressors } = await import('hyparquet-compressors');
	return async (path) => {
		const file = await asyncBufferFromFile(path);
		const metadata = await parquetMetadataAsync(file);
		const names = metadata.schema.slice(1).map((column) => column.name);
		const rows = await parquetReadObjects({ file, metadata, compressors, utf8: false });
		return [names, rows.map((row) => names.map((name) => row[name]))];
	};
}

async function parquet_wasm() {
	const { readParquet } = await import('parquet-wasm');
	const { tableFromIPC } = await import('apache-arrow');
	return async (path) => {
		const table = tableFromIPC(readParquet(fs.readFileSync(path)).intoIPCStream());
		const names = table.schema.fields.map((field) => field.name);
		const rows = Array.from({ length: table.numRows }, () => []);
		names.forEach((_, i) => {
			let row = 0;
			for (const value of table.getChildAt(i))
				rows[row++][i] = value;
		});
		return [names, rows];
	};
}

// Fields of CSV; null: an empty field without quotes.
function parse(text) {
	const rows = [];
	let row = [], i = 0;
	while (i < text.length) {
		if (text[i] === '"') {
			let field = '', end;
			for (i++; ; i = end + 2) {
				end = text.indexOf('"', i);
				field += text.slice(i, end);
				if (text[end + 1] !== '"')
					break;
				field += '"';
			}
			row.push(field);
			i = end + 1;
		} else {
			const start = i;
			while (text[i] !== ',' && text[i] !== '\n')
				i++;
			row.push(i > start ? text.slice(start, i) : null);
		}
		if (text[i] === '\n') {
			rows.push(row);
			row = [];
		}
		i++;
	}
	return rows;
}

// Whether a value is the one of a field.
function same(value, field) {
	if (value === null || value === undefined || field === null)
		return (value ?? null) === field;
	if (typeof value === 'string' || typeof value === 'boolean')
		return String(value) === field;
	if (value instanceof Uint8Array)
		return Buffer.from(value).toString('hex') === field;
	if (typeof value === 'number')
		return value === Number(field);
	return BigInt(value) === (field.startsWith('-') ? -BigInt(field.slice(1)) : BigInt(field));
}

function compare([names, rows], csv, order) {
	const faults = [], [header, ...fields] = parse(fs.readFileSync(csv).toString('utf8'));
	const places = header.map((name) => names.indexOf(name));
	if (order !== undefined) {
		const place = names.indexOf(order);
		rows.sort((a, b) => (a[place] < b[place] ? -1 : 1));
	}
	if (rows.length !== fields.length)
		faults.push(`${rows.length} rows, expected ${fields.length}`);
	for (const name of names)
		if (!header.includes(name))
			faults.push(`column ${name} is too much`);
	for (let row = 0; row < fields.length && faults.length < FAULTS_MAX; row++) {
		header.forEach((name, i) => {
			const value = places[i] < 0 ? null : rows[row]?.[places[i]];
			if (!same(value, fields[row][i]))
				faults.push(`row ${row + 1}, ${name}: ${value}, expected ${fields[row][i]}`);
		});
	}
	return faults.slice(0, FAULTS_MAX);
}

// Answers of DuckDB to queries, as texts.
async function answer(query) {
	const { DuckDBInstance } = await import('@duckdb/node-api');
	const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
	const found = await connection.runAndReadAll(query);
	return found.getRows().map((row) => row.map((value) => value?.bytes ? Buffer.from(value.bytes).toString() : value === null ? null : String(value)));
}

if (process.argv[2] === 'query') {
	for (const query of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean))
		console.log(JSON.stringify(await answer(query)));
	process.exit(0);
}
const read = await { duckdb, hyparquet, parquet_wasm }[process.argv[2]]();
for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
	const { name, parquet, csv, order } = JSON.parse(line);
	let faults;
	try {
		faults = compare(await read(parquet), csv, order);
	} catch (error) {
		faults = [String(error)];
	}
	console.log(JSON.stringify({ name, faults }));
}
